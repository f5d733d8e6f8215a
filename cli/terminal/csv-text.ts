/**
 * Rows below their header, as RFC 4180 writes them but with the line ends of all our output. A cell that a spreadsheet would take
 * for a formula is kept from it by a quote before it: reasons and tickets are foreign text.
 * Source: OWASP, "CSV Injection".
 */
export function csvText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\n`).join('');
}

const FORMULA = /^[=+\-@\t\r\n]/;
const NEEDS_QUOTES = /[",\r\n]/;

function csvCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
