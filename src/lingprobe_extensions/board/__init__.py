"""A board of models: results as folders for a pull request, their check, and a site of tables.

`frame` keeps fits as rows of Parquet, `lines` what is known of each model, `submission` both in one
folder; `check` says whether a folder is consistent, `measure` measures its models. `merge` puts
what an operator measured and folders together, `standings` compares what was measured, and
`index_page`, `phenomenon_page`, `task_page` and `model_page` show it.
"""
