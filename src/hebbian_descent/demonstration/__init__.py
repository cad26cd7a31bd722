"""What `hebbian-descent demo` shows: six pairs of datasets learned by four rules, on one page."""
