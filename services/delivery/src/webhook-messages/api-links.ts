/** Absolute URLs of the REST interface, as messages contain them. */
export interface ApiLinks {
  /** The pages of a crawl or batch, or the rows of a map. */
  job(kind: 'crawl' | 'scrape' | 'map', id: string): string;
  changes(projectId: string, runId: string): string;
}

/** @param publicUrl base URL of the REST interface, with the version prefix */
export function apiLinks(publicUrl: string): ApiLinks {
  const base = publicUrl.replace(/\/+$/, '');
  return {
    job: (kind, id) => `${base}/${kind}/${id}`,
    changes: (projectId, runId) => `${base}/projects/${projectId}/changes?run_id=${runId}`,
  };
}
