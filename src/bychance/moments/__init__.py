"""Statistics from which the null distributions of many pairs follow, from columns or from sums."""
