"""What experience has to say before thinking, planning and acting."""
