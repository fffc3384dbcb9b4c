-- Of maps of one project that were started at the same moment, the first goes on.
UPDATE "jobs" j SET status = 'error', error = 'another map of this project was under way', finished_at = now(), lease_until = NULL
WHERE j.status = 'running' AND j.project_id <> '' AND j.options ->> 'forCrawl' IS DISTINCT FROM 'true' AND EXISTS (
  SELECT FROM "jobs" e WHERE e.workspace_id = j.workspace_id AND e.project_id = j.project_id AND e.status = 'running'
    AND e.options ->> 'forCrawl' IS DISTINCT FROM 'true' AND e.id < j.id);

-- A project is mapped once at a time; what a crawl reads for itself is beside that.
CREATE UNIQUE INDEX "jobs_project_idx" ON "jobs"("workspace_id", "project_id")
  WHERE "status" = 'running' AND "project_id" <> '' AND ("options" ->> 'forCrawl') IS DISTINCT FROM 'true';
