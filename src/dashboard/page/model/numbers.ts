// @ts-check

// To make one takes much longer than to use it.
const format = new Intl.NumberFormat("en");

/** `5,000` @param {number} count */
export function grouped(count) {
  return format.format(count);
}
