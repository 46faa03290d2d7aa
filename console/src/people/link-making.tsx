/** Making somebody a link to choose a new password. */
import type { Person, PersonLink } from '@ticklake/client';
import { clientState, postJson } from '../api/client';
import { useChange } from '../api/use-change';
import { Button } from '../ui/button';
import { Dialog, DialogActions } from '../ui/dialog';
import { Notice } from '../ui/notice';

interface MakeLinkDialogProps {
  person: Person;
  /** Of the people: `/people` or those of the own account. */
  path: string;
  onMade: (link: PersonLink) => void;
  onClose: () => void;
}

export function MakeLinkDialog({ person, path, onMade, onClose }: MakeLinkDialogProps) {
  const make = useChange({
    send: (body: { send_by_email?: boolean }) =>
      postJson<PersonLink>(`${path}/${person.person_id}/link`, body),
    touches: [['people']],
    onDone: (link) => {
      onClose();
      onMade(link);
    },
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Make a link for ${person.email}?`}
      description="With the link, this person chooses a new password. Until then the current password and sessions keep working; earlier links stop."
    >
      {make.error && <Notice kind="danger">{make.error.message}</Notice>}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        {clientState.sendsEmail && (
          <Button isBusy={make.isPending} onClick={() => make.mutate({ send_by_email: true })}>
            E-mail the link
          </Button>
        )}
        <Button kind="primary" isBusy={make.isPending} onClick={() => make.mutate({})}>
          Show the link
        </Button>
      </DialogActions>
    </Dialog>
  );
}
