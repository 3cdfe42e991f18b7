"""Plans that other agents keep, brought into a store."""
