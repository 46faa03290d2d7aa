/** Checks a change of password. */

export interface PasswordValues {
  readonly [name: string]: string;
  readonly current_password: string;
  readonly new_password: string;
  readonly again: string;
}

const CHARACTERS_MIN = 12;
const CHARACTERS_MAX = 1024;

function newPasswordProblem(password: string, current: string): string {
  const { length } = [...password];
  if (length < CHARACTERS_MIN) {
    return `Use at least ${CHARACTERS_MIN} characters: ${CHARACTERS_MIN - length} to go`;
  }
  if (length > CHARACTERS_MAX) return `Use at most ${CHARACTERS_MAX} characters`;
  return password === current ? 'Must differ from the current password' : '';
}

type NewPasswordValues = Pick<PasswordValues, 'new_password' | 'again'>;

/** Of a new password; `current`: the one that it takes the place of, where that is known. */
export function newPasswordProblems({ new_password, again }: NewPasswordValues, current = '') {
  return {
    new_password: newPasswordProblem(new_password, current),
    again: again === new_password ? '' : 'Must match the new password',
  };
}

export function passwordProblems({ current_password, ...values }: PasswordValues) {
  return {
    current_password: current_password === '' ? 'Enter your current password' : '',
    ...newPasswordProblems(values, current_password),
  };
}
