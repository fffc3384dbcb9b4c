/** Refuses a URL that the egress guard does not admit. `field`: name of the request field in the error. @throws AppError validation */
export type AdmitUrl = (url: string, field: string) => Promise<void>;
