/** What a status of an answer means, in a word or two; its number stays for those who look it up. */

const TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  206: 'OK, part of a file',
  304: 'Not changed',
  401: 'Not signed in',
  403: 'No access',
  404: 'Not found',
  406: 'Format not offered',
  410: 'Gone',
  422: 'Bad request',
  429: 'Over the limit',
  499: 'Client disconnected',
  500: 'Server error',
  503: 'Busy',
  504: 'Timed out',
};

export function statusText(status: number): string {
  const text = TEXTS[status];
  return text === undefined ? String(status) : `${text} (${status})`;
}
