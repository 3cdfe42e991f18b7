"""What a plan is, how two compare, and how one is edited."""
