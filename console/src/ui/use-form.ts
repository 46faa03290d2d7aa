import { type FormEvent, useEffect, useRef, useState } from 'react';
import { fieldMessages } from '../api/client';
import { useDraft } from './drafts';
import type { FieldProps } from './field';
import { type ChangeOptions, useChange } from './use-change';

type Values = Readonly<Record<string, unknown>>;

/** Messages by field; '' or no entry where nothing is wrong. The key '' is of no field. */
export type Problems = Readonly<Record<string, string | undefined>>;

export interface Change<V> {
  readonly mutate: (values: V) => void;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly isSuccess: boolean;
}

interface FormOptions<V extends Values> {
  readonly initial: V;
  /** Finds mistakes before the form is sent. */
  readonly problemsOf?: (values: V) => Problems;
  readonly change: Change<V>;
  /** Name under which what is typed outlives a session that ends; not for secrets. */
  readonly draft?: string;
}

/**
 * Shown beside the fields: what is wrong with those that were changed, or with all once sending was
 * tried, and what the service refused of those that were not changed since.
 */
export function shownProblems(
  own: Problems,
  refused: Problems,
  touched: ReadonlySet<string>,
  changedSinceRefusal: ReadonlySet<string>,
  isTried: boolean,
): Problems {
  const names = new Set([...Object.keys(own), ...Object.keys(refused)]);
  const shown: Record<string, string | undefined> = {};
  for (const name of names) {
    const ownProblem = isTried || touched.has(name) ? own[name] : undefined;
    const refusal = changedSinceRefusal.has(name) ? undefined : refused[name];
    shown[name] = ownProblem || refusal;
  }
  return shown;
}

export function focusFirstInvalid(box: HTMLElement | null | undefined): void {
  box?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}

/** Values are texts, flags and lists of them. */
function isDeepEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The values that differ from those that are kept. */
export function changedValues<V extends object>(values: V, kept: V): Partial<V> {
  const before = new Map(Object.entries(kept));
  const changed = Object.entries(values).filter(
    ([name, value]) => !isDeepEqual(value, before.get(name)),
  );
  return Object.fromEntries(changed) as Partial<V>;
}

const NO_NAMES: ReadonlySet<string> = new Set();
const noProblems = (): Problems => ({});

/** The fields of a form: their values, their faults, and sending them when there are none. */
export function useForm<V extends Values>(options: FormOptions<V>) {
  const { initial, problemsOf = noProblems, change, draft } = options;
  // Null: nothing was changed.
  const [typed, setTyped] = useDraft<V>(draft);
  const values = typed ?? initial;
  const [touched, setTouched] = useState(NO_NAMES);
  const [changedSinceRefusal, setChangedSinceRefusal] = useState(NO_NAMES);
  // Counts the tries, so that each of them leads to what is wrong.
  const [tries, setTries] = useState(0);
  const [sent, setSent] = useState<V | null>(null);
  const formRef = useRef<HTMLFormElement>(null);
  const own = problemsOf(values);
  const refused = fieldMessages(change.error, Object.keys(values));
  const set =
    <Name extends keyof V & string>(name: Name) =>
    (value: V[Name]) => {
      setTyped((before) => ({ ...(before ?? initial), [name]: value }));
      setTouched((before) => new Set([...before, name]));
      setChangedSinceRefusal((before) => new Set([...before, name]));
    };
  useEffect(() => {
    if (tries > 0 || change.error) focusFirstInvalid(formRef.current);
  }, [tries, change.error]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (change.isPending) return;
    setTries((before) => before + 1);
    if (Object.values(own).some(Boolean)) return;
    setChangedSinceRefusal(NO_NAMES);
    setSent(values);
    change.mutate(values);
  };
  const reset = (next: V) => {
    setTyped(next === initial ? null : next);
    setTouched(NO_NAMES);
    setChangedSinceRefusal(NO_NAMES);
    setTries(0);
  };
  const errors = shownProblems(own, refused, touched, changedSinceRefusal, tries > 0);
  const isSaved = change.isSuccess && isDeepEqual(typed, sent);
  const isDirty = typed !== null && !isSaved && !isDeepEqual(typed, initial);
  /** The attributes of the field of this name. */
  const field = <Name extends keyof V & string>(name: Name): FormField<V[Name]> => ({
    ...{ name, value: values[name], error: errors[name], onValueChange: set(name) },
  });
  return { values, field, errors, submit, reset, formRef, isDirty, isBusy: change.isPending };
}

export type FormField<T> = Omit<FieldProps<T>, 'label'>;

export type FormState = Pick<
  ReturnType<typeof useForm>,
  'errors' | 'submit' | 'formRef' | 'isDirty' | 'isBusy'
>;

interface ChangeFormOptions<V extends Values, Answer>
  extends Omit<FormOptions<V>, 'change'>,
    ChangeOptions<V, Answer> {
  /** Values of the next form once this one was sent; absent: its dialog is closed then. */
  readonly resetTo?: (answer: Answer) => V;
}

/** A form whose values are sent as a change of what the service has. */
export function useChangeForm<V extends Values, Answer>(options: ChangeFormOptions<V, Answer>) {
  const { initial, problemsOf = noProblems, draft, resetTo, ...change } = options;
  const sent = useChange<V, Answer>({
    ...change,
    closes: resetTo === undefined,
    onDone: (answer, values, isShown) => {
      if (resetTo) form.reset(resetTo(answer));
      change.onDone?.(answer, values, isShown);
    },
  });
  const form = useForm<V>({
    ...{ initial, problemsOf, change: sent },
    ...(draft === undefined ? {} : { draft }),
  });
  return form;
}
