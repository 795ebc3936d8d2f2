// What counts how much in the search: as Sphinx has it, but what any robot has comes before what few have by the same name.
var Scorer = {
  score: ([page, name, anchor, about, score]) => score + (name.startsWith("loadpath.Robot.") ? 1 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
