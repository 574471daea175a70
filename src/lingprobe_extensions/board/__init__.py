"""A board of models: results as folders for a pull request, their check, and a site of tables.

`frame` keeps fits as rows of Parquet, `lines` what is said of each model, `submission` both in one
folder, `check` and `sample` say whether a folder is what it says. `merge` puts folders together,
`standings` compares models, and `index_page`, `task_page` and `model_page` show them.
"""
