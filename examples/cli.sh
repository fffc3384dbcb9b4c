#!/bin/sh
# Watches a site from a script: creates a project, runs it, and prints what changed. Needs TIDEMARK_API_KEY and TIDEMARK_BASE_URL.
#
#   sh examples/cli.sh https://example.com/
set -eu
url=${1:-https://example.com/}
tidemark=${TIDEMARK:-tidemark}

$tidemark scrape "$url" > page.md
$tidemark map "$url" --limit 100 > urls.txt

project=$($tidemark project create "$url" name=Example max_pages=20)
$tidemark run "$project" --wait
$tidemark pages "$project" --json=url,verdict > pages.jsonl

# 0: nothing changed, 2: changes, 3: no verdict, such as after the first run
$tidemark changes "$project" --patch --exit-code > changes.txt || echo "changes ended with $?"
$tidemark export "$project" pages --format csv -o pages.csv
