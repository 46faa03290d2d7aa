import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { tell } from './news';

export interface ChangeOptions<Input, Answer> {
  readonly send: (input: Input) => Promise<Answer>;
  /** Beginnings of the keys of the queries that show what is changed. */
  readonly touches?: readonly QueryKey[];
  /** Said once it is done. */
  readonly done?: string | ((answer: Answer, input: Input) => string);
  readonly onDone?: (answer: Answer, input: Input) => void;
}

/** A change that the service makes; what shows it is asked for anew. */
export function useChange<Input, Answer>(options: ChangeOptions<Input, Answer>) {
  const { send, touches = [], done, onDone } = options;
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: async (answer, input) => {
      const title = typeof done === 'function' ? done(answer, input) : done;
      if (title !== undefined) tell({ title });
      onDone?.(answer, input);
      await Promise.all(touches.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
}
