export const FORMATS = ["table", "wide", "json", "yaml", "name"] as const;
export type Format = (typeof FORMATS)[number];

export const ORDERS = ["state", "name", "next", "since", "last"] as const;
export type Order = (typeof ORDERS)[number];
