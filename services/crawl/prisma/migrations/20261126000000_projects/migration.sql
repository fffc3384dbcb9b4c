-- Deleted projects: no run of them can start.
CREATE TABLE deleted_projects (
  id text PRIMARY KEY,
  workspace_id text NOT NULL,
  deleted_at timestamptz(3) NOT NULL DEFAULT now()
);

-- The runs of a project, newest first.
CREATE INDEX runs_project_id_id_idx ON runs (project_id, id DESC) WHERE project_id IS NOT NULL;

-- Runs without a project, by expiry.
CREATE INDEX runs_ephemeral_idx ON runs (finished_at) WHERE project_id IS NULL AND tidied;
