"""Measurements of Sharpwave beside other stores, on the same data in the same run."""
