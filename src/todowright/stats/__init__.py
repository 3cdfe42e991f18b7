"""What the plans of many sessions say."""
