"""How an answer is judged in a notebook and by the grader alike; nothing here holds an answer."""
