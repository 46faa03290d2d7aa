/** With a mark without which Excel would read it as of the code page of its system. */
export const saveCsv = (text: string, name: string) =>
  saveBlob(new Blob(['\ufeff', text], { type: 'text/csv' }), name);

export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser needs the address until it has begun.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
