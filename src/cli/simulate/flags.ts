export const FORMATS = ["text", "json", "csv", "svg"] as const;
export type Format = (typeof FORMATS)[number];
