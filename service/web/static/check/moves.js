/**
 * Moves: who decided, and the signatures of the seats that registered a signing key.
 *
 * @module
 */

import { isSignedInHex, isSound } from "./ed25519.js";
import { canonical, joined, plain, utf8 } from "./hashes.js";
import { seatOf } from "./leaves.js";
import { get, hasMembers, isThere, isWhole, members, must, sorted } from "./values.js";

/** @typedef {import("./dossier.js").Dossier} Dossier */

/** By the type of a decision: the type of the signed action, and its members. The last three decisions seal fields. */
const ACTIONS = new Map(`
seat_left=leave_seat hand_dealt=deal_hand cards_held=hold_cards card_exchanged=exchange_card,card
hand_thrown_in=throw_in upping_offered=offer_upping,chips upping_passed=pass_upping upping_accepted=accept_upping
upping_declined=decline_upping player_resigned=resign deal_begun=deal_hand bet_placed=place_bet,chips
hand_sat_out=sit_out sat_in=sit_in chips_bought=buy_chips,chips insurance_offered=offer_insurance,chips
insurance_accepted=accept_insurance,seat insurance_refused=refuse_insurance,seat leftover_chosen=choose_leftover,card
card_played=play_card,card deck_seed_committed=commit_seed,epoch,client_commit
deck_seed_revealed=reveal_seed,epoch,client_seed signing_key_registered=register_signing_key,public_key
signing_key_ended=end_signing_key slip_written=slip_written pass_chosen=pass_chosen bid_written=bid_written
`.trim().split(/\s+/).map((one) => {
  const [name, action] = one.split("=");
  return [name, action.split(",")];
}));

/**
 * Each decision is the seat's own, or the service made it because time was called. A seat with a signing key signs its
 * decisions.
 *
 * @param {Dossier} dossier
 */
export async function checkMoves(dossier) {
  const keys = new Map();
  const heads = new Map(); // by seat: the last event of the seat's last command
  const unsigned = new Set();
  let [signed, seat] = [0, 0];
  for (const [position, event, pub] of dossier.each()) {
    const [kind, place] = [event.type, `position ${position}`];
    if ("cmd" in event) {
      seat = seatOf(event);
      mustBeOwn(event, seat, place);
      if (await checkSignature(dossier, event, keys, heads.get(seat) ?? 0)) {
        signed += 1;
      } else if (seat && ACTIONS.has(kind) && dossier.begin.first <= position && position <= dossier.begin.last) {
        unsigned.add(seat);
      }
    } else {
      must(!("sig" in event) && !ACTIONS.has(kind), place, "a player's decision must have a command id");
    }
    heads.set(seat, position);
    if (kind === "signing_key_registered") keys.set(seat, get(pub, "public_key"));
    if (kind === "signing_key_ended" || kind === "seat_left") keys.delete(seat);
  }
  const others = unsigned.size > 0 ? `; seats that decided unsigned: ${sorted(unsigned).join(", ")}` : "";
  return `${signed} moves are signed by the keys that the seats registered${others}`;
}

/**
 * Check that a player's decision is by the player in `seat`, or by the service because time was called.
 *
 * @param {any} event
 * @param {number} seat
 * @param {string} place
 */
function mustBeOwn(event, seat, place) {
  const { type: kind, pub } = event;
  if (!ACTIONS.has(kind) && !("priv" in event)) return;
  const isCalled = event.by === "service" && ["host", "limit"].includes(get(pub, "called", ""));
  must(seat || isCalled, place, "must be decided by a seat, or by the service because time was called");
  const isOwn = get(pub, "seat", seat) === seat || ACTIONS.get(kind)?.includes("seat");
  must(isOwn || !seat, place, `a decision of seat ${seat} must be about this seat`);
}

/**
 * Check that a decision is signed with its seat's key in `keys`, or with the key that it registers. Without a key, or
 * if the decision ends the key, it must be unsigned. Return whether it is signed.
 *
 * The seat's last command before this decision ended at the position `since`.
 *
 * @param {Dossier} dossier
 * @param {any} event
 * @param {Map<number, any>} keys
 * @param {number} since
 */
async function checkSignature(dossier, event, keys, since) {
  const { position, type: kind } = event;
  const [sig, seat, place] = [get(event, "sig", ""), seatOf(event), `position ${position}`];
  const [before, isNew] = [keys.get(seat) ?? "", kind === "signing_key_registered"];
  const signer = isNew ? get(event.pub, "public_key") : kind === "signing_key_ended" ? "" : before;
  const isDue = isThere(signer);
  must(isThere(sig) === isDue, place, "a decision must be signed if its seat has a signing key, and only then");
  const areChosen = members(get(event, "priv", plain({}))).every(([, sealed]) => "choice" in sealed === isDue);
  must(areChosen, place, "a sealed field must have a choice if the decision is signed, and only then");
  if (!isDue) return false;
  const names = ["head_hash", "position", ...(isNew && isThere(before) ? ["previous"] : []), "signature"];
  must(hasMembers(sig, names), place, `a signature must have ${names.join(", ")}`);
  const isFree = isNew && isSound(signer) && ![...keys.values()].includes(signer);
  must(!isNew || isFree, place, "the new key must be sound and not in use");
  const first = (isThere(before) ? since : position - 1) || 1;
  const isLate = isWhole(sig.position) && first <= sig.position && sig.position < position;
  must(isLate, place, "must sign the end of the seat's last command or later");
  const head = dossier.hashes[sig.position - 1];
  must(sig.head_hash === head, place, `must sign the hash ${head} of position ${sig.position}`);
  const text = moveText(event);
  must(await isSignedInHex(signer, sig.signature, text), place, `the key of seat ${seat} must sign the move`);
  const isByBoth = !names.includes("previous") || await isSignedInHex(before, sig.previous, text);
  must(isByBoth, place, `the earlier key of seat ${seat} must sign the change of the key, too`);
  return true;
}

/**
 * Return the text that the player of a decision signs.
 *
 * @param {any} event
 */
export function moveText(event) {
  const [kind, ...named] = ACTIONS.get(event.type) ?? [event.type];
  const action = plain({ type: kind });
  for (const name of named) if (name in event.pub) action[name] = event.pub[name];
  for (const [name, sealed] of members(get(event, "priv", plain({})))) action[name] = get(sealed, "choice");
  const { position, head_hash } = event.sig;
  const move = plain({ stream: event.stream, cmd: event.cmd, action, position, head_hash });
  return joined(utf8("chiptrail/move/v1\n"), canonical(move));
}
