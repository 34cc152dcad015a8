"""The names under which files of evidence and of results give a question and its id, the most telling first."""

QID = ("qid", "query_id", "query-id", "question_id", "id", "_id")
QUERY = ("query", "question", "user_input", "input")
