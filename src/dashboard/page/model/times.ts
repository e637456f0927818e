/** The zone of the visitor. */
export const VIEWERS_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
