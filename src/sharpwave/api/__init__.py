"""The namespaces of `Memory`: one class each, one flow per method."""
