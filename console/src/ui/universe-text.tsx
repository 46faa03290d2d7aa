const SHOWN_MAX = 12;

/** Identifiers that a rule is narrowed to; none means all of them. */
export function UniverseText({ identifiers }: { identifiers: readonly string[] }) {
  if (identifiers.length === 0) return 'All';
  const hidden = identifiers.length - SHOWN_MAX;
  if (hidden <= 0) return identifiers.join(', ');
  return (
    <details>
      <summary>
        {identifiers.slice(0, SHOWN_MAX).join(', ')} and {hidden} more
      </summary>
      {identifiers.slice(SHOWN_MAX).join(', ')}
    </details>
  );
}
