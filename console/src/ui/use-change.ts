import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { clientState, errorText } from '../api/client';
import { tell } from './news';
import { closeDialog, openDialog } from './open-dialog';

export interface ChangeOptions<Input, Answer> {
  readonly send: (input: Input) => Promise<Answer>;
  /** Beginnings of the keys of the queries that show what is changed. */
  readonly touches?: readonly QueryKey[];
  /** Said once it is done. */
  readonly done?: string | ((answer: Answer, input: Input) => string);
  /** Once it is done, the dialog that it was asked for in is closed. */
  readonly closes?: boolean;
  /** `isShown`: what it was asked for in, a dialog or a screen without one, was not left since. */
  readonly onDone?: (answer: Answer, input: Input, isShown: boolean) => void;
}

const isSignedIn = (personId: number | null) =>
  clientState.csrfToken !== null && clientState.personId === personId;

/** A change that the service makes; what shows it is asked for anew. */
export function useChange<Input, Answer>(options: ChangeOptions<Input, Answer>) {
  const { send, touches = [], done, closes = false, onDone } = options;
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onMutate: () => ({ personId: clientState.personId, dialog: openDialog.state() }),
    onSuccess: async (answer, input, { personId, dialog }) => {
      // Answers, and the secrets in them, are for nobody else who has signed in since.
      if (!isSignedIn(personId)) return;
      const isShown = openDialog.state() === dialog;
      if (closes && isShown) closeDialog();
      const title = typeof done === 'function' ? done(answer, input) : done;
      if (title !== undefined) tell({ title });
      onDone?.(answer, input, isShown);
      await Promise.all(touches.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    onError: (error, _, asked) => {
      // A dialog shows the error by itself while it is open.
      if (!asked?.dialog || openDialog.state() === asked.dialog) return;
      if (isSignedIn(asked.personId)) tell({ title: errorText(error) });
    },
  });
}
