/** What is wrong with an e-mail address; '' if nothing is. The server judges it more strictly. */
export function emailProblem(email: string): string {
  return /^[^\s@]+@[^\s@]+$/.test(email.trim()) ? '' : 'Enter an e-mail address';
}
