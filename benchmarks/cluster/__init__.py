"""What a cluster costs and gains: measured on this machine, simulated for larger ones."""
