"""From admitted titles to their scores: waiting, batches, threads."""
