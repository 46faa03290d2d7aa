const CHARACTERS_MAX = 200;
/** Control and invisible characters, line separators, halves of surrogate pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const UNPRINTABLES = new RegExp(UNPRINTABLE, 'gu');

/** The reason why the service would refuse a name; '' if it would not. */
export function nameProblem(name: string): string {
  if (name.trim() === '') return 'Enter a name';
  if (name.trim() !== name) return 'Leave out the spaces at the beginning and the end';
  if (UNPRINTABLE.test(name)) return 'Leave out control and invisible characters';
  return [...name].length > CHARACTERS_MAX ? `Use at most ${CHARACTERS_MAX} characters` : '';
}

/** A text of several lines as the one line that the service takes. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(UNPRINTABLES, '').trim();
}

/** The server judges it more strictly. */
export function emailProblem(email: string): string {
  return /^[^\s@]+@[^\s@]+$/.test(email.trim()) ? '' : 'Enter an e-mail address';
}

export interface PasswordValues {
  readonly [name: string]: string;
  readonly current_password: string;
  readonly new_password: string;
  readonly again: string;
}

const PASSWORD_CHARACTERS_MIN = 12;
const PASSWORD_CHARACTERS_MAX = 1024;

function newPasswordProblem(password: string, current: string): string {
  const { length } = [...password];
  if (length < PASSWORD_CHARACTERS_MIN) {
    return `Use at least ${PASSWORD_CHARACTERS_MIN} characters: ${PASSWORD_CHARACTERS_MIN - length} to go`;
  }
  if (length > PASSWORD_CHARACTERS_MAX) return `Use at most ${PASSWORD_CHARACTERS_MAX} characters`;
  return password === current ? 'Must differ from the current password' : '';
}

type NewPasswordValues = Pick<PasswordValues, 'new_password' | 'again'>;

/** `current`: the password that it takes the place of, where that is known. */
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
