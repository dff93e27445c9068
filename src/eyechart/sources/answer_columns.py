"""What people call the columns of a file of answers, the id and the model's word: the first that is there counts."""

from __future__ import annotations

ID_COLUMNS = ("question_id", "id", "index", "sample_id", "idx", "sample")
# A file that holds the gold answer too calls that "answer", so the model's word goes first.
ANSWER_COLUMNS = ("prediction", "response", "model_answer", "full_response", "predicted_answer", "answer")
