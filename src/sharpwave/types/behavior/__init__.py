"""What passes between the parts that learn how a person wants to be helped."""
