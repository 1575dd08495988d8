/** Sessions: whether one can take another Turn. */
import { Schema } from "effect"

/** `open`: takes Turns; `detached`: needs a resume of its outside conversation; `ended`: its Run was cancelled or deleted. */
export const SessionAvailability = Schema.Literals(["open", "detached", "ended"])
export type SessionAvailability = typeof SessionAvailability.Type

/** A Session's name has at most so many characters (code points). */
export const sessionNameCharacters = 64

/** The Session a Run has when nobody names one. */
export const defaultSessionName = "main"
