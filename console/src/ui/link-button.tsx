import { createLink } from '@tanstack/react-router';
import { ButtonAnchor } from './button';

export const LinkButton = createLink(ButtonAnchor);
