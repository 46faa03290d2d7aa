import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';

interface ChangeOptions<Input, Answer> {
  readonly send: (input: Input) => Promise<Answer>;
  /** Beginnings of the keys of the queries that show what is changed. */
  readonly touches: readonly QueryKey[];
  readonly onDone?: (answer: Answer, input: Input) => void;
}

/** A change that the service makes; what shows it is asked for anew. */
export function useChange<Input, Answer>({ send, touches, onDone }: ChangeOptions<Input, Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: async (answer, input) => {
      onDone?.(answer, input);
      await Promise.all(touches.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
}
