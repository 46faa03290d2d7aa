/** What a field in the line of the query means, for screen readers: there is no room for it below the field. */
export function UnseenHint({ text }: { text: string }) {
  return <span className="visually-hidden">{text}</span>;
}
