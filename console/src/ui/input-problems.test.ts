import { describe, expect, it } from 'vitest';
import { nameProblem, oneLine, passwordProblems } from './input-problems';

describe('a name', () => {
  it.each(['a', 'Client One', 'é'.repeat(200), '<b>x</b>'])('may be %j', (name) => {
    expect(nameProblem(name)).toBe('');
  });

  it.each(['', ' ', ' a', 'a ', 'a\u200bb', 'a\nb', 'é'.repeat(201)])('may not be %j', (name) => {
    expect(nameProblem(name)).not.toBe('');
  });
});

it('a text of several lines is sent as one that the service takes', () => {
  expect(oneLine(' a study,\r\n\r\n\tof\u2028closes\u200b \u202e\ud800 ')).toBe(
    'a study, of closes',
  );
  expect(oneLine(' \n\u200b')).toBe('');
  expect(oneLine('é 😀')).toBe('é 😀');
});

const RIGHT = {
  current_password: 'correct horse',
  new_password: 'battery staple',
  again: 'battery staple',
};

describe('a change of password', () => {
  it('is right with three texts that fit', () => {
    expect(Object.values(passwordProblems(RIGHT)).filter(Boolean)).toEqual([]);
  });

  it('says how many characters are missing', () => {
    const short = passwordProblems({ ...RIGHT, new_password: 'battery', again: 'battery' });
    expect(short.new_password).toContain('5 to go');
    const eleven = 'é'.repeat(11);
    expect(passwordProblems({ ...RIGHT, new_password: eleven }).new_password).toContain('1 to go');
    expect(passwordProblems({ ...RIGHT, new_password: `${eleven}é` }).new_password).toBe('');
  });

  it('asks for the current password, another one, and the same twice', () => {
    expect(passwordProblems({ ...RIGHT, current_password: '' }).current_password).not.toBe('');
    const same = { ...RIGHT, new_password: RIGHT.current_password };
    expect(passwordProblems(same).new_password).toContain('differ');
    expect(passwordProblems({ ...RIGHT, again: 'battery stapl' }).again).not.toBe('');
  });
});
