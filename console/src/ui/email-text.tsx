/** An e-mail address, which lines break after its `@` first. */
export function EmailText({ email }: { email: string }) {
  const [name, ...domain] = email.split('@');
  if (domain.length === 0) return email;
  return (
    <>
      {`${name}@`}
      <wbr />
      {domain.join('@')}
    </>
  );
}
