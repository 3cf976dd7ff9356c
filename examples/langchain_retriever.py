"""LangChain: memory as a retriever in a chain. Needs `sharpwave[langchain]`, no key."""

import tempfile
from pathlib import Path

from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

from sharpwave import Memory
from sharpwave.interfaces.adapters.langchain import SharpwaveRetriever

SAID = (
    "The staging server is called heron.",
    "We deploy on Tuesdays, after the stand-up.",
    "My sister Ana lives in Porto.",
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory.db") as memory:
        memory.remember(SAID)
        retriever = SharpwaveRetriever(memory=memory, k=2)
        question = "On which day do we deploy?"
        for found in retriever.invoke(question):
            print(f"{found.page_content}  [{found.metadata['kind']}, {found.metadata['trust']}]")

        model = FakeListChatModel(responses=["On Tuesdays, after the stand-up."])
        prompt = ChatPromptTemplate.from_template("Known: {known}\n\nQuestion: {question}")
        given = {"known": retriever, "question": RunnablePassthrough()}
        chain = given | prompt | model | StrOutputParser()
        print(f"{question}\n  -> {chain.invoke(question)}")


if __name__ == "__main__":
    main()
