"""Statistics of many pairs at once: what their nulls need, from columns in memory or from sums over rows."""
