"""Reads the files of a folder with programs that are not Tidemark's, and prints what each read as JSON."""
import json
import sys

import duckdb
import openpyxl
import pandas

folder = sys.argv[1]
COLUMNS = "{id: 'INTEGER', text: 'VARCHAR', ok: 'BOOLEAN', 'at': 'TIMESTAMP', extra: 'JSON'}"


def duck(source):
    return [list(row) for row in duckdb.sql(f"SELECT id, text FROM {source} ORDER BY id").fetchall()]


def panda(frame):
    return [[int(row.id), None if pandas.isna(row.text) else row.text] for row in frame.itertuples()]


found = {}
for name in ["rows.jsonl", "rows.jsonl.gz", "rows.jsonl.zst"]:
    source = f"read_json('{folder}/{name}', format='newline_delimited', columns={COLUMNS}, maximum_object_size=33554432)"
    found[f"duckdb {name}"] = duck(source)
csv = f"read_csv('{folder}/rows.csv', header=true, quote='\"', escape='\"', delim=',', new_line='\\r\\n', allow_quoted_nulls=false, columns={COLUMNS}, parallel=false)"
found["duckdb rows.csv"] = duck(csv)
found["duckdb rows.parquet"] = duck(f"read_parquet('{folder}/rows.parquet')")
described = duckdb.sql(f"DESCRIBE SELECT * FROM read_parquet('{folder}/rows.parquet')").fetchall()
found["duckdb types"] = {row[0]: row[1] for row in described}
values = duckdb.sql(f"SELECT ok, \"at\"::VARCHAR, extra->>'price' FROM read_parquet('{folder}/rows.parquet') WHERE id = 0").fetchall()
found["duckdb values"] = [list(row) for row in values]
found["duckdb index"] = duckdb.sql(f"SELECT count(*) FROM read_csv('{folder}/index.cdx', columns={{line: 'VARCHAR'}}, header=false, delim='\\x01', quote='')").fetchone()[0]

for name in ["rows.jsonl", "rows.jsonl.gz"]:
    found[f"pandas {name}"] = panda(pandas.read_json(f"{folder}/{name}", lines=True, dtype=False, convert_dates=False))
found["pandas rows.csv"] = panda(pandas.read_csv(f"{folder}/rows.csv", keep_default_na=False, na_values=[], dtype={"text": "object"}))

book = openpyxl.load_workbook(f"{folder}/plain.xlsx", read_only=True)
rows = list(book.worksheets[0].iter_rows(values_only=True))
found["openpyxl header"] = list(rows[0])
found["openpyxl rows"] = [[row[0], row[1], row[2]] for row in rows[1:]]
json.dump(found, sys.stdout)
