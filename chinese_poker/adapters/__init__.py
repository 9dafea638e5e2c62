"""What ties the package to the tools of its users; each needs its extra, and the core needs none."""
