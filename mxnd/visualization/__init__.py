"""Pictures and tables of graphs, `mx.viz`."""
from .network import plot_network
from .summary import print_summary

__all__ = ["plot_network", "print_summary"]
