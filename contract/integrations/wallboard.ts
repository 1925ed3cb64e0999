import { Type, type Static } from 'typebox';
import { nullable, oneLine, pageOf, Time, Uuid, strictObject } from '../base/schema.ts';
import { FirstBad } from '../failures/blame.ts';
import { maxFilterLength } from '../runs/run-facets.ts';

const values = Type.Optional(Type.String({ minLength: 1, maxLength: maxFilterLength }));

/** Each field takes several values with commas between them, as in the list of runs. */
const filter = { repository: values, workflow: values };

export const WallFilter = strictObject(filter);
export type WallFilter = Static<typeof WallFilter>;

/** More would not be legible. The workflows that ran last are shown. */
export const maxTiles = 60;

const text = Type.String();
const optionalText = nullable(text);

const tileStates = ['failed', 'passed', 'none'] as const;

/** One workflow on the default branch of its repository. */
export const Tile = Type.Object({
  repository: text,
  workflow: text,
  /** By the newest run that succeeded or failed; `none` without one. */
  state: Type.Enum([...tileStates]),
  /** The newest run that is not completed. `expectedMs` is the median of earlier successful runs. */
  running: nullable(
    Type.Object({
      runId: Type.Integer(),
      startedAt: Time,
      expectedMs: nullable(Type.Integer()),
    }),
  ),
  /** The newest run that decides the state. */
  last: nullable(
    Type.Object({
      runId: Type.Integer(),
      runNumber: nullable(Type.Integer()),
      title: optionalText,
      completedAt: nullable(Time),
      errorLine: optionalText,
    }),
  ),
  /** The first failed run after the last green one. */
  failingSince: nullable(Time),
  /** The only commit that can have broken it; null when that is not known. */
  firstBad: nullable(FirstBad),
  /** The person that the incident is assigned to, or who acknowledged it. Null when nobody has; the name is null when it is not known. */
  handledBy: nullable(Type.Object({ name: optionalText })),
});
export type Tile = Static<typeof Tile>;

export const Wall = Type.Object({
  /** Of the server. A screen reloads when it changes. */
  version: text,
  label: text,
  /** Time of the server. */
  at: Time,
  /** Failed ones first. */
  tiles: Type.Array(Tile),
});
export type Wall = Static<typeof Wall>;

/** Of one integration. */
export const maxShareLinks = 50;

export const ShareLink = Type.Object({
  linkId: Uuid,
  name: text,
  filter: WallFilter,
  createdAt: Time,
  /** Null when the person is gone. */
  createdBy: nullable(Type.Object({ userId: Uuid, name: optionalText })),
});
export type ShareLink = Static<typeof ShareLink>;
export const ShareLinkPage = pageOf(ShareLink);

/** The secret is in the part of the address that browsers never send. It is not shown again. */
export const CreatedShareLink = Type.Object({ ...ShareLink.properties, url: text });
export type CreatedShareLink = Static<typeof CreatedShareLink>;

export const ShareLinkBody = strictObject({ name: oneLine(100), filter: WallFilter });
export type ShareLinkBody = Static<typeof ShareLinkBody>;
