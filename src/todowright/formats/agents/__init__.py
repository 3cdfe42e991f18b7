"""One file for each format: a module with a `FORMAT`, or several `FORMATS`. A new file here is found by itself."""
