"""Files of answers and of gold answers, in the forms in which people have them."""
