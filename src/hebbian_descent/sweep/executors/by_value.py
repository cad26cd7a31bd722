"""The library that pickles functions by value; it comes with joblib, as part of it or on its own."""

try:
    import cloudpickle
except ModuleNotFoundError:  # before joblib 1.6
    from joblib.externals import cloudpickle

__all__ = ["cloudpickle"]
