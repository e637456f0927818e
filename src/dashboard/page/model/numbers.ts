// To make one takes much longer than to use it.
const format = new Intl.NumberFormat("en");

/** `5,000` */
export function grouped(count: number) {
  return format.format(count);
}
