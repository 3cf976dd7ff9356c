"""What a statement competes for: facts in one slot cannot all hold."""

from dataclasses import replace

from sharpwave.knowledge import predicates
from sharpwave.knowledge.draft import Heard, slot_of
from sharpwave.types.records import Statement
from sharpwave.types.statements import Candidate


def slot(statement: Statement) -> str:
    """What a fact competes for."""
    subject, name, value = statement
    if not predicates.predicate(name).many:
        return slot_of(subject, name)
    return slot_of(subject, name, predicates.normal_object(name, value))


def competing_slots(candidate: Candidate) -> list[str]:
    """The slots that must be known to decide on a statement."""
    statement = said_in(candidate)
    excluded = predicates.predicate(statement.predicate).excludes
    rivals = [statement._replace(predicate=name) for name in excluded]
    if candidate.instead_of is not None:
        rivals.append(statement._replace(object=candidate.instead_of))
    return list(dict.fromkeys(slot(each) for each in (statement, *rivals)))


def reworded(heard: Heard, **parts: str) -> Heard:
    """The same in other words: another name of the subject, another wording of the object."""
    statement = said_in(heard.candidate)._replace(**parts)
    return heard._replace(candidate=replace(heard.candidate, statement=statement))


def said_in(candidate: Candidate) -> Statement:
    """The statement that a fact makes."""
    assert candidate.statement is not None, "every fact has a statement"
    return candidate.statement
