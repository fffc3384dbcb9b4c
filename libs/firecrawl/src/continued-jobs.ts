/** Remembers, for ten minutes, the jobs whose requests were answered with 408. The clients send such a request again, which is answered by the same job. */
export interface ContinuedJobs {
  /** Returns the job of a request, if there is one. */
  find(fingerprint: string): Promise<string | undefined>;
  keep(fingerprint: string, jobId: string): Promise<void>;
  remove(fingerprint: string): Promise<void>;
}
