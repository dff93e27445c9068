"""The kinds of question, one small module each: `ask` makes one about a scene, or says that the scene has none."""
