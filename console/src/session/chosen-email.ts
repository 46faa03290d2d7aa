/** Whose password was just chosen in this tab, for the screen that signs in with it; '' for nobody. */
let email = '';

export const chosenEmail = {
  get: () => email,
  set: (next: string) => {
    email = next;
  },
};
